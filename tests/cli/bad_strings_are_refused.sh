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
refuses 1 latin.txt 'object 2' 'byte 3' 0xe9 UTF-8 by=byte -- gram ssk latin.txt -o K.npy
says -- gram 'ssk(by=byte)' latin.txt -o K.csv
refuses 1 latin.txt 'object 2' 'byte 3' 0xe9 UTF-8 -- gram words latin.txt -o L.npy
refuses 1 dna.txt 'object 2' 'byte 3' "'X'" '"ACGT"' -- gram 'ssk(alphabet="ACGT")' dna.txt -o L.npy
refuses 1 dna.txt 'line 2' 'column 1' "'ACGT'" "'ACXT'" --label-column -- gram rbf dna.txt -o L.npy
refuses 1 rbf ssk 'different kinds' -- gram 'rbf + ssk' dna.txt -o L.npy
refuses 1 s.txt rbf dense sparse bits 'not string' -- fit 'kpca(dim=1)' --kernel rbf --format lines s.txt -o m.rkhs
refuses 1 numbers.csv text string --format 'csv(text=NAME)' -- gram ssk numbers.csv -o L.npy
refuses 1 two.csv '2 columns' text --format 'csv(text=NAME)' -- gram ssk two.csv -o L.npy
refuses 1 two.csv "'texts'" "'text'" 'line 1' '0 to 1' -- gram ssk --format 'csv(text=texts)' two.csv -o L.npy
refuses 1 bad.fa 'line 1' FASTA "'>name'" '--format lines' -- gram spectrum bad.fa -o L.npy
refuses 1 a.fa 'line 1' '1 word' label=2 -- gram spectrum --format 'fasta(label=2)' a.fa -o L.npy
refuses 1 empty.txt empty -- gram spectrum empty.txt -o L.npy
refuses 1 empty.fa empty -- gram spectrum empty.fa -o L.npy
refuses 1 ssk p 'at least 1' 0 4 -- gram 'ssk(p=0)' s.txt -o L.npy
refuses 1 ssk lambda 'at most 1' 2 -- gram 'ssk(lambda=2)' s.txt -o L.npy
refuses 1 mismatch m=2 p=2 -- gram 'mismatch(p=2, m=2)' s.txt -o L.npy
refuses 1 mismatch p=40 4.6e+06 6 1e+06 -- gram 'mismatch(p=40, m=3)' dna.txt -o L.npy
says '0 of the 1' variance / '3 objects' -- fit 'kpca(dim=1)' --kernel 'ssk(p=1)' same.txt -z - >/dev/null
rkhs fit 'kpca(dim=1)' --kernel 'mismatch(p=2)' s.txt -o m.rkhs -q
refuses 1 dna.txt 'object 1' 'byte 1' "'A'" '"abcd"' -- transform m.rkhs dna.txt -o L.npy
rkhs transform m.rkhs s.txt -o Z.npy
refuses 1 L.npy string npy .txt -- inverse m.rkhs Z.npy -o L.npy
refuses 1 numbers.csv s.txt krr dense string -- fit krr numbers.csv --target s.txt -o L.rkhs
refuses 1 numbers.csv text string --format 'csv(text=NAME)' -- transform m.rkhs numbers.csv -o L.npy
rkhs fit 'kpca(dim=1)' --kernel 'linear' numbers.csv -o n.rkhs -q
refuses 1 s.txt 'line 2' 'column 1' "'abc'" "'abd'" --label-column -- transform n.rkhs s.txt -o L.npy
# An empty string is an object: two are alike, and like nothing else.
printf '\n\nabc\n' >gaps.txt
for kernel in ssk spectrum mismatch words; do rkhs gram $kernel gaps.txt -o - --output-format csv; done
