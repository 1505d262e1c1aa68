. "$LIB"
# Whole screens: a list and a type.
rkhs list samples
rkhs list rbf
