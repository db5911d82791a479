skip_if_not(reticulate::py_module_available("causewise"), "causewise is not installed for Python")

set.seed(0)
dose <- runif(400, -2, 2)
response <- sin(2 * dose) + (0.1 + 0.2 * abs(dose)) * rnorm(400)
table <- data.frame(dose, response, outcome = response^3 / 3 + response + 0.3 * rnorm(400))

test_that("infer gives the answer of Python in one row", {
  python <- reticulate::import("causewise")$infer(list(dose = as.list(dose), response = as.list(response)))$to_dict()
  found <- causewise::infer(table, "dose", "response")
  expect_equal(nrow(found), 1)
  for (name in c("direction", "cause", "effect", "confidence", "score", "n")) expect_equal(found[[name]], python[[name]])
  expect_equal(sum(found[, c("p x->y", "p y->x", "p neither")]), 1)
  expect_equal(causewise::infer(table, "dose", "response", seed = 1)$seed, 1)
})

test_that("scan has a row a pair, with what is missing as NA", {
  table$dose[3] <- NA
  table$place <- factor(rep(c("a", "b"), 200))
  found <- causewise::scan(table)
  expect_equal(nrow(found), 3)
  expect_equal(found$dropped_rows, c(1, 1, 0))
  expect_type(found$confidence, "double")
  expect_match(attr(found, "left_out")[["place"]], "categories without a known order")
})

test_that("graph has a row an edge, and an order", {
  found <- causewise::graph(table)
  expect_setequal(attr(found, "order"), names(table))
  expect_equal(found$parent[found$child == "outcome"], "response")
  none <- causewise::graph(data.frame(a = rnorm(200), b = rnorm(200)))
  expect_equal(nrow(none), 0)
  expect_equal(names(none), names(found))
})

test_that("columns of every class mean in Python what they mean in R", {
  read <- function(column, ...) {
    columns <- causewise:::as_columns(data.frame(a = column, b = seq_along(column)^2))
    pair <- reticulate::import("causewise.tables", convert = FALSE)$pair_from(columns, "a", "b", ...)
    list(values = as.double(reticulate::py_to_r(pair$x$tolist())), notes = unlist(reticulate::py_to_r(pair$notes)))
  }
  whole <- c(5L, NA, 20:40)
  expect_equal(read(whole, nan_policy = "omit")$values, c(5, 20:40))
  day <- as.Date("2001-05-01") + 37 * 0:20
  expect_equal(read(day)$values, as.double(day))
  moment <- as.POSIXct("2001-05-01 12:34:56", tz = "America/New_York") + 3600.5 * 0:20
  expect_equal(read(moment)$values, as.double(moment) / 86400)
  expect_equal(read(as.difftime(1:20, units = "hours"))$values, 1:20 / 24)
  expect_equal(read(rep(c(TRUE, FALSE, TRUE), 7))$values, rep(c(1, 0, 1), 7))
  levels <- factor(rep(c("low", "high", "mid"), 7), levels = c("low", "mid", "high"), ordered = TRUE)
  expect_equal(read(levels)$values, as.integer(levels) - 1)
  expect_match(read(levels)$notes, "'low' < 'mid' < 'high'")
})

test_that("an error is one sentence", {
  expect_error(causewise::infer(table, "dose", "nothing"), "^Got the column 'nothing', which is not in the table")
  expect_error(causewise::infer(table[1:3, ], "dose", "response"), "^Got 3 rows; expected at least 10")
})
