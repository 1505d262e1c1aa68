. "$LIB"
"$PYTHON" "$SRC/tools/make_doc.py" --tool "$RKHS" --completion rkhs.bash || exit 1
. ./rkhs.bash
mkdir folder
touch folder/x m.rkhs Z.npy 'two words.npy'

# Shows what is offered for the last word, sorted on one line; = is a word of its own, as bash splits it.
offer() {
    COMP_WORDS=(rkhs "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _rkhs rkhs "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s:' "$*"
    [ ${#COMPREPLY[@]} -eq 0 ] || printf ' [%s]' "$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd,)"
    echo
}
# 1 if a word is among what is offered.
offers() {
    local word=$1
    shift
    offer "$@" >/dev/null
    printf '%s\n' "${COMPREPLY[@]}" | grep -cxF -e "$word"
}

offer tr
offer --v
offers fit ''
offers help ''
offer fit --ker
offer fit --label
offer list --j
offer help --
offers --threads fit --
offers -o fit -
offer nothing ''
echo "names"
offer fit kpc
offer fit "'kpc"
offer fit kpca X.npy -k rb
offer fit kpca X.npy --kernel = rb
offer fit kpca X.npy --kernel = "'rb"
offers rbf fit kpca X.npy --kernel =
offer gram lapl
offer sample cir
offer score kn
offer score 'knn(k=3)' --labels y.npy kn
offer list kern
offer list kernels rb
offer help transf
offer help rb
offer transform m.rkhs X.npy --format ts
offer fit kpca X --threads ''
echo "files"
offer transform ''
offer transform m.rkhs ''
offer transform m.rkhs two
offer transform --threads 3 m
offer transform --threads = 3 m.rkhs Z
offer fit kpca Z
offer fit kpca X.npy -z Z
offer plot fol
offer info m.rkhs ''
offer sample circles ''
complete -p rkhs
# every command and every option that the help shows is offered
for command in $(rkhs help | sed -n '/^To begin/,$d; s/^  \([a-z]*\) .*/\1/p' | grep -vx rkhs); do
    [ "$(offers $command '')" = 1 ] || echo "$command is not offered"
    for option in $(rkhs help $command | sed -n 's/^  .\{4\}\(--[a-z-]*\).*/\1/p'); do
        [ "$(offers $option $command --)" = 1 ] || echo "$command $option is not offered"
    done
done
