. "$LIB"
printf 'one\ntw\351o\n' >latin.txt
printf 'ACGT\nACXT\n' >dna.txt
printf '1,2\n3,4\n5,7\n' >numbers.csv
printf 'name,text\nx,abc\ny,def\n' >two.csv
printf 'ACGT\n>a\n' >bad.fa
printf '>a\nAC\n>b\n' >a.fa
printf 'abc\nabd\nbcd\n' >s.txt
printf 'abc\nabc\nabc\n' >same.txt
: >empty.txt
: >empty.fa
try gram ssk latin.txt -o K.npy
try gram 'ssk(by=byte)' latin.txt -o K.csv
try gram words latin.txt -o L.npy
try gram 'ssk(alphabet="ACGT")' dna.txt -o L.npy
try gram rbf dna.txt -o L.npy
try gram 'rbf + ssk' dna.txt -o L.npy
try fit 'kpca(dim=1)' --kernel rbf --format lines s.txt -o m.rkhs
try gram ssk numbers.csv -o L.npy
try gram ssk two.csv -o L.npy
try gram ssk --format 'csv(text=texts)' two.csv -o L.npy
try gram spectrum bad.fa -o L.npy
try gram spectrum --format 'fasta(label=2)' a.fa -o L.npy
try gram spectrum empty.txt -o L.npy
try gram spectrum empty.fa -o L.npy
try gram 'ssk(p=0)' s.txt -o L.npy
try gram 'ssk(lambda=2)' s.txt -o L.npy
try gram 'mismatch(p=2, m=2)' s.txt -o L.npy
try gram 'mismatch(p=40, m=3)' dna.txt -o L.npy
rkhs fit 'kpca(dim=1)' --kernel 'ssk(p=1)' same.txt -z - 2>&1 >/dev/null | grep variance\;
rkhs fit 'kpca(dim=1)' --kernel 'mismatch(p=2)' s.txt -o m.rkhs -q
try transform m.rkhs dna.txt -o L.npy
rkhs transform m.rkhs s.txt -o Z.npy
try inverse m.rkhs Z.npy -o L.npy
try fit krr numbers.csv --target s.txt -o L.rkhs
try transform m.rkhs numbers.csv -o L.npy
rkhs fit 'kpca(dim=1)' --kernel 'linear' numbers.csv -o n.rkhs -q
try transform n.rkhs s.txt -o L.npy
# An empty string is an object: two are alike, and like nothing else.
printf '\n\nabc\n' >gaps.txt
for kernel in ssk spectrum mismatch words; do rkhs gram $kernel gaps.txt -o - --output-format csv; done
ls
