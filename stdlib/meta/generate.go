package meta

//go:generate go test -run TestReferencePages -update .
