module namegate

go 1.26
