library(testthat)
test_check("causewise")
