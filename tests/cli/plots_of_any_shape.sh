. "$LIB"
npy point.npy 2 1 2;            rkhs plot point.npy -o point.svg
npy constant.npy 2 3 3 3 3 3 3; rkhs plot constant.npy -o constant.svg
npy zero.npy 2 0 0 0 0;         rkhs plot zero.npy -o zero.svg
npy line.npy 2 0 1e6 1e-3 1e6 2e-3 1e6;     rkhs plot line.npy -o line.svg
npy tiny.npy 2 1e-300 0 2e-300 1e-310 0 -1e-300; rkhs plot tiny.npy -o tiny.svg
npy huge.npy 2 1e149 0 -1e149 1 0 -1; rkhs plot huge.npy -o huge.svg
npy far.npy 2 1000000.001 -5 1000000.002 -6 1000000.0005 -7; rkhs plot far.npy -o far.svg
npy strip.npy 1 1 2 3 4 5 6;    rkhs plot strip.npy -o strip.svg
npy three.npy 3 1 2 3 4 5 6 7 8 10; rkhs plot three.npy -o three.svg
npy six.npy 6 1 2 3 4 5 6 6 5 4 3 2 1; rkhs plot six.npy -o six.svg
npy seven.npy 7 $(seq 21); says 'first six' -- plot seven.npy -o seven.svg
rkhs sample 'circles(n=3000)' -o X.npy --labels-out y.npy
rkhs plot X.npy --labels y.npy -o X.svg && rkhs plot X.npy --labels y.npy --threads 1 | cmp - X.svg
picture point.svg constant.svg zero.svg line.svg tiny.svg huge.svg far.svg strip.svg three.svg six.svg seven.svg X.svg
printf '"%s"\n' '<b>&""bold""</b>' 'שלום' 'a name that is much longer than the legend has room for' >words.csv
npy words.npy 2 1 2 3 4 5 7
rkhs plot words.npy --labels words.csv --title 'A & B < "C"' -o words.svg && picture words.svg
grep -o '<text [^>]*>[^z0-9][^<]*</text>' words.svg | sed 's/<text [^>]*>//'
printf 'one\ttwo\033[31m\n' | tr '\t' '\001' >control.txt
npy control.npy 1 5
rkhs plot control.npy --labels control.txt -o control.svg && picture control.svg
for i in $(seq 40); do echo "\"class $i\""; done >forty.csv
npy forty.npy 2 $(seq 80)
rkhs plot forty.npy --labels forty.csv -o forty.svg && picture forty.svg
refuses 1 X.jpg .svg .png .pdf -- plot X.npy -o X.jpg
refuses 1 X: .svg .png .pdf -- plot X.npy -o X
refuses 1 y.npy '3000 labels' three.npy '3 points' -- plot three.npy --labels y.npy -o p.svg
refuses 1 missing.npy 'No such file' -- plot missing.npy -o p.svg
refuses 1 missing.npy 'No such file' -- plot X.npy --labels missing.npy -o p.svg
