# Writes data/kernlab_*.csv: string kernels of the R package kernlab on the lines of data/strings.txt.
#
#     Rscript tests/golden/make_kernlab.R       (Debian: r-cran-kernlab)
suppressMessages(library(kernlab))
folder <- file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "data")
strings <- as.list(readLines(file.path(folder, "strings.txt")))
write <- function(name, kernel) {
    K <- sapply(strings, function(x) sapply(strings, function(y) kernel(x, y)))
    rows <- apply(K, 1, function(row) paste(sprintf("%.17g", row), collapse = ","))
    writeLines(rows, file.path(folder, paste0("kernlab_", name, ".csv")))
}
write("sequence2", stringdot(type = "sequence", length = 2, lambda = 0.5, normalized = FALSE))
write("sequence3", stringdot(type = "sequence", length = 3, lambda = 0.8, normalized = TRUE))
write("spectrum2", stringdot(type = "spectrum", length = 2, normalized = FALSE))
write("spectrum3", stringdot(type = "spectrum", length = 3, normalized = TRUE))
