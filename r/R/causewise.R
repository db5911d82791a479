# Data frames -> dictionaries of plain lists, which every version of reticulate hands over alike: no arrays, whose gaps
# among integers would become numbers.

.onLoad <- function(libname, pkgname) {
  # Since reticulate 1.41 a fresh Python is made where none is configured.
  if (exists("py_require", asNamespace("reticulate"))) {
    require_python <- get("py_require", asNamespace("reticulate"))
    require_python(getOption("causewise.requirement", "causewise[tables]"), python_version = ">=3.11")
  }
}

infer <- function(data, x = NULL, y = NULL, ...) {
  found <- ask("infer", data, x = x, y = y, ...)$to_dict()
  frame <- make_frame(lapply(found[vapply(found, is_single, TRUE)], list))
  for (name in c("x->y", "y->x", "neither")) frame[[paste("p", name)]] <- or_na(found$probabilities[[name]])
  attr(frame, "warnings") <- as.character(unlist(found$warnings))
  frame
}

scan <- function(data, ...) {
  found <- ask("scan", data, ...)
  frame <- make_frame(found$to_columns())
  attr(frame, "left_out") <- unlist(found$to_dict()$left_out)
  frame
}

graph <- function(data, ...) {
  found <- ask("graph", data, ...)$to_dict()
  names <- c("parent", "child", "direction", "direction_probability", "support", "mean", "spread", "reason")
  columns <- lapply(names, function(name) lapply(found$edges, function(edge) edge[[name]]))
  frame <- make_frame(stats::setNames(columns, names))
  attr(frame, "order") <- as.character(unlist(found$order))
  attr(frame, "left_out") <- unlist(found$left_out)
  attr(frame, "warnings") <- as.character(unlist(found$warnings))
  frame
}

ask <- function(name, data, ...) {
  causewise <- reticulate::import("causewise")
  table <- if (is.data.frame(data)) as_columns(data) else data
  settings <- lapply(Filter(Negate(is.null), list(...)), as_setting)
  tryCatch(
    do.call(causewise[[name]], c(list(table), settings)),
    error = function(problem) stop(clean_message(conditionMessage(problem)), call. = FALSE)
  )
}

clean_message <- function(message) {
  first <- sub("\n.*", "", sub("^.*?(InputError|UnclearError): ", "", message, perl = TRUE))
  gsub("\033\\[[0-9;]*m", "", first)
}

# Whole numbers are meant as such: R writes 1 for 1.0.
as_setting <- function(value) {
  whole <- is.double(value) && all(is.finite(value)) && all(value == round(value)) && all(abs(value) < 2^31)
  if (whole) as.integer(value) else value
}

as_columns <- function(data) {
  reticulate::r_to_py(lapply(data, as_column))
}

as_column <- function(column) {
  if (inherits(column, "integer64")) {
    stop("Got a column of integer64; expected numbers: convert it with as.double().", call. = FALSE)
  }
  if (is.factor(column)) return(as_levels(column))
  if (inherits(column, "Date")) return(as_texts(format(column, "%Y-%m-%d"), is.na(column)))
  if (inherits(column, "POSIXt")) return(as_texts(format(column, "%Y-%m-%dT%H:%M:%OS6", tz = "UTC"), is.na(column)))
  if (inherits(column, "difftime")) return(as.list(as.double(column, units = "days")))
  if (is.character(column)) return(as_texts(column, is.na(column)))
  if (is.numeric(column) || is.logical(column)) return(as.list(as.double(column)))
  stop(sprintf("Got a column of class %s; expected numbers, dates, factors or text.", class(column)[1]), call. = FALSE)
}

as_texts <- function(texts, missing) {
  values <- as.list(texts)
  values[missing] <- list(NULL)
  values
}

as_levels <- function(column) {
  pandas <- reticulate::import("pandas", convert = FALSE)
  values <- as_texts(as.character(column), is.na(column))
  pandas$Series(pandas$Categorical(values, categories = as.list(levels(column)), ordered = is.ordered(column)))
}

is_single <- function(value) is.null(value) || (is.atomic(value) && length(value) == 1)

or_na <- function(value) if (is.null(value)) NA else value

make_frame <- function(columns) {
  values <- lapply(columns, function(column) {
    cells <- lapply(column, or_na)
    if (length(cells)) unlist(cells) else character()
  })
  data.frame(values, check.names = FALSE, stringsAsFactors = FALSE)
}
