# One measured job in R, in a process of its own; bench.py calls it: Rscript peer.R SETUP WARM RUN [OUT.csv]
#
# As peer.py: the three are code, run is timed, its value (a matrix) is saved when OUT is given; one JSON line is printed, or
# {"missing": PACKAGE} when library() fails.
words <- commandArgs(trailingOnly = TRUE)

memory <- function(name) {
    line <- grep(paste0("^", name, ":"), readLines("/proc/self/status"), value = TRUE)
    1024 * as.numeric(gsub("[^0-9]", "", line))
}

run_code <- function(text) eval(parse(text = text), envir = globalenv())

missing <- tryCatch({ run_code(words[1]); NULL }, packageNotFoundError = function(why) why$package)
if (!is.null(missing)) {
    cat(sprintf('{"missing": "%s"}\n', missing))
    quit()
}
if (nzchar(words[2])) invisible(run_code(words[2]))
code <- parse(text = words[3])
invisible(gc())
cat("5", file = "/proc/self/clear_refs")
held <- memory("VmRSS")
clock <- Sys.time()
cpu <- sum(proc.time()[1:2])
result <- eval(code, envir = globalenv())
took <- as.numeric(difftime(Sys.time(), clock, units = "secs"))
worked <- sum(proc.time()[1:2]) - cpu
loaded <- setdiff(loadedNamespaces(), c("compiler", "graphics", "utils", "grDevices", "stats", "datasets", "methods", "base", "tools"))
versions <- paste(sprintf('"%s": "%s"', loaded, vapply(loaded, function(p) as.character(packageVersion(p)), "")), collapse = ", ")
cat(sprintf('{"seconds": %.6f, "cpu": %.3f, "peak": %.0f, "versions": {%s}}\n', took, worked, memory("VmHWM") - held, versions))
if (length(words) > 3) write.table(format(as.matrix(result), digits = 17, trim = TRUE), words[4], sep = ",", quote = FALSE,
                                   row.names = FALSE, col.names = FALSE)
