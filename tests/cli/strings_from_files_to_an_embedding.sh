. "$LIB"
printf '%s\n' 'the cat sat on the mat' 'the cat sat on a mat' 'a dog ran' 'the dog ran away' 'cats and dogs' 'a mat for the cat' >a.txt
# Every way to the same strings.
sed 's/$/\r/' a.txt >crlf.txt
head -c -1 a.txt >noend.txt
sed 's/^/>x\n/' a.txt | tr ' ' _ >a.fa
awk '{print NR "\t" $0 "\t" (NR % 2 ? "odd" : "even")}' a.txt >bare.tsv
(printf 'id\tsentence\tclass\n'; cat bare.tsv) >a.tsv
gzip -k a.txt
rkhs gram 'ssk(p=2)' a.txt -o K.npy && shape K.npy
rkhs gram 'ssk(p=2)' crlf.txt | cmp - K.npy
rkhs gram 'ssk(p=2)' noend.txt | cmp - K.npy
rkhs gram 'ssk(p=2)' a.txt.gz | cmp - K.npy
rkhs gram 'ssk(p=2)' - <a.txt | cmp - K.npy
rkhs gram 'ssk(p=2)' --format 'tsv(text=sentence)' a.tsv | cmp - K.npy
rkhs gram 'ssk(p=2)' --label-column class a.tsv | cmp - K.npy
rkhs gram 'ssk(p=2)' --format 'tsv(text=1, header=no)' bare.tsv | cmp - K.npy
rkhs gram 'ssk(p=2)' --threads 1 a.txt | cmp - K.npy
rkhs gram 'spectrum(p=2)' a.fa -o F.npy && shape F.npy
rkhs gram 'spectrum(p=2)' - <a.fa | cmp - F.npy
# With no kernel given a string model has its own.
says '6 objects' 'spectrum(p=3, normalize=true, by=char, fold=true)' '2 dimensions' 72.9% \
    -- fit 'kpca(dim=2)' a.txt -o m.rkhs -z Z.npy
rkhs transform m.rkhs a.txt -o T.npy && near Z.npy T.npy 1e-8
rkhs transform m.rkhs a.txt.gz | cmp - T.npy
rkhs transform m.rkhs --format 'tsv(text=sentence)' a.tsv | cmp - T.npy
rkhs inverse m.rkhs Z.npy | cmp - a.txt
rkhs inverse m.rkhs Z.npy -o back.txt && cmp back.txt a.txt
printf 'the cat\n' | rkhs transform m.rkhs - -o one.npy && shape one.npy
for k in 'ssk(p=3, lambda=0.8)' 'spectrum(p=2, by=word)' 'mismatch(p=3)' words '0.5*words + spectrum'; do
    for gram in exact 'nystrom(landmarks=6)'; do
        rkhs fit "kpca(dim=2, gram=$gram)" --kernel "$k" a.txt -o m.rkhs -z Z.npy -q
        rkhs transform m.rkhs a.txt -o T.npy && near Z.npy T.npy 1e-8
    done
done
rkhs info m.rkhs | grep kernel
# Weights of words are those of all texts, also where three are kept.
rkhs fit 'kpca(dim=1, gram=nystrom(landmarks=3))' --kernel '2*words(idf=false)*words' a.txt -o m.rkhs -z Z.npy -q
rkhs transform m.rkhs a.txt -o T.npy && near Z.npy T.npy 1e-8
