module onthestack

go 1.26.0
