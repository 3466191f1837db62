module example.com/gains

go 1.26.0
