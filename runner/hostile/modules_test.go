package hostile

import "onthestack/internal/programs"

// modules are programs that reach for files and packages outside themselves, or try to pass flags to the go command.
var modules = []hostile{
	{"embeds what is outside", main_("import _ \"embed\"\n\n//go:embed ../*\nvar s string\n\nfunc main() {}"),
		fails("prog.go:5:12: pattern ../*: invalid pattern syntax\n")},
	{"embeds the folder above", main_("import _ \"embed\"\n\n//go:embed ..\nvar s string\n\nfunc main() {}"),
		fails("pattern ..: invalid pattern syntax\n")},
	{"embeds an absolute name", main_("import _ \"embed\"\n\n//go:embed /etc/passwd\nvar s string\n\n" +
		"func main() { print(s) }"), fails("prog.go:5:12: pattern /etc/passwd: invalid pattern syntax\n")},
	{"embeds everything", uses("embed", "//go:embed all:*\nvar fs embed.FS\n\nfunc main() { d, _ := "+
		"fs.ReadDir(\".\"); "+
		"for _, e := range d { if e.Name() != stackFile { println(e.Name()) } } }\n\nconst stackFile = \""+
		programs.StackFile+"\""), prints("go.mod\nprog.go\n")},
	{"embeds its folder", uses("embed", "//go:embed .\nvar fs embed.FS\n\nfunc main() {}"),
		fails("pattern .: invalid pattern syntax\n")},
	{"embeds a folder", uses("embed", "//go:embed sub\nvar fs embed.FS\n\nfunc main() { d, _ := fs.ReadDir(\"sub\"); "+
		"for _, e := range d { println(e.Name()) } }") + "-- sub/a.txt --\na\n-- sub/.b --\nb\n-- sub/_c --\nc\n",
		prints("a.txt\n")},
	{"embeds a folder of another module", main_("import \"embed\"\n\n//go:embed sub\nvar fs embed.FS\n\nfunc main() "+
		"{}") +
		"-- sub/a.txt --\na\n-- sub/go.mod --\nmodule sub\n",
		fails("cannot embed directory sub: in different module\n")},
	{"embeds what is not there", main_("import _ \"embed\"\n\n//go:embed nothing\nvar s string\n\nfunc main() {}"),
		fails("pattern nothing: no matching files found\n")},
	{"embeds a version control's", main_("import _ \"embed\"\n\n//go:embed .git/config\nvar s string\n\n"+
		"func main() { print(s) }") + "-- .git/config --\nx\n", fails("pattern .git/config: ")},
	{"embeds what looks like a link", main_("import _ \"embed\"\n\n//go:embed link\nvar s string\n\n"+
		"func main() { print(s) }") + "-- link --\n/etc/passwd\n", prints("/etc/passwd\n")},

	{"imports this repository", main_("import _ \"onthestack/internal/verdict\"\n\nfunc main() {}"),
		fails("package onthestack/internal/verdict is not in std")},
	{"calls itself this repository", withMod("import _ \"onthestack/internal/verdict\"\n\nfunc main() {}",
		"module onthestack\n\ngo 1.26\n"), fails("package onthestack/internal/verdict is not in std")},
	{"imports what is internal", main_("import _ \"internal/abi\"\n\nfunc main() {}"),
		fails("prog.go:3:8: use of internal package internal/abi not allowed\n")},
	{"imports what the library vendors", main_("import _ \"vendor/golang.org/x/net/dns/dnsmessage\"\n\nfunc main() {}"),
		fails("vendor")},
	{"imports the compiler", main_("import _ \"cmd/internal/obj\"\n\nfunc main() {}"),
		fails("prog.go:3:8: use of internal package cmd/internal/obj not allowed\n")},
	{"imports the go command", main_("import _ \"cmd/go\"\n\nfunc main() {}"),
		fails("import \"cmd/go\" is a program, not an importable package\n")},
	{"imports a browser's", main_("import _ \"syscall/js\"\n\nfunc main() {}"),
		fails("build constraints exclude all Go files in $GOROOT/src/syscall/js\n")},
	{"imports itself", main_("import _ \"play\"\n\nfunc main() {}"),
		fails("imports play from prog.go: import cycle not allowed\n")},
	{"imports by a path", main_("import _ \"../../etc\"\n\nfunc main() {}"),
		fails("prog.go:3:8: local import \"../../etc\" in non-local package\n")},
	{"imports by an absolute path", main_("import _ \"/etc\"\n\nfunc main() {}"), fails("prog.go:3:8: ")},
	{"imports an address", main_("import _ \"127.0.0.1:8080/x\"\n\nfunc main() {}"),
		fails("prog.go:3:8: invalid import path: 127.0.0.1:8080/x\n")},
	{"imports NUL", main_("import _ \"fm\x00t\"\n\nfunc main() {}"), fails("prog.go: unexpected NUL in input\n")},
	{"imports what no proxy has", main_("import _ \"invalid.invalid/x\"\n\nfunc main() {}"),
		fails("invalid.invalid/x")},
	{"replaces by what is outside", withMod("import _ \"a.b/c\"\n\nfunc main() {}",
		"module m\nreplace a.b/c => ../../../../etc\n"),
		fails("go.mod:2: replacement ../../../../etc is not in the program\n")},
	{"replaces by an absolute folder", withMod("import _ \"a.b/c\"\n\nfunc main() {}",
		"module m\nreplace a.b/c => /etc\n"), fails("go.mod:2: replacement /etc is not in the program\n")},
	{"replaces in another module", withMod("import _ \"a.b/c\"\n\nfunc main() {}", "module m\nrequire a.b/c v0.0.0\n"+
		"replace a.b/c => ./c\n") + "-- c/c.go --\npackage c\n-- c/go.mod --\nmodule a.b/c\nreplace d.e/f => /etc\n",
		fails("c/go.mod:2: replacement /etc is not in the program\n")},
	{"replaces the standard library", withMod("import _ \"fmt\"\n\nfunc main() { println(1) }",
		"module m\n\nreplace fmt => ./fmt\n") + "-- fmt/fmt.go --\npackage fmt\n\nfunc init() { println(2) }\n" +
		"-- fmt/go.mod --\nmodule fmt\n", prints("1\n")},
	{"is the standard library", withMod("func main() {}", "module std\n"),
		fails("go.mod:1: a module may not be named std\n")},
	{"wants another release", withMod("func main() {}", "module m\n\ngo 1.99\n\ntoolchain go1.99.1\n"),
		fails("go: go.mod requires go >= 1.99 (running go")},
	{"wants another toolchain", withMod("func main() { println(1) }", "module m\n\ngo 1.26\n\ntoolchain go1.99.1\n"),
		prints("1\n")},
	{"wants an odd toolchain", withMod("func main() {}", "module m\n\ntoolchain ../../../bin/sh\n"),
		fails("go.mod:3: invalid toolchain version '../../../bin/sh'")},
	{"wants a toolchain of a path's", withMod("func main() { println(1) }",
		"module m\n\ngo 1.26\n\ntoolchain go1.26.1+path\n"), prints("1\n")},
	{"sets GODEBUG", withMod("func main() { println(1) }", "module m\n\ngo 1.26\n\ngodebug (\n\tdefault=go1.21\n"+
		"\texecerrdot=0\n)\n"), prints("1\n")},
	{"sets a GODEBUG that is none", withMod("func main() { println(1) }",
		"module m\n\ngo 1.26\n\ngodebug toolexec=/bin/false\n"), fails("unknown godebug \"toolexec\"\n")},
	{"sets GODEBUG in its source", "//go:debug toolexec=/bin/false\n" + main_("func main() { println(1) }"),
		fails("unknown //go:debug setting \"toolexec\"\n")},
	{"names a tool", withMod("func main() { println(1) }", "module m\n\ngo 1.26\n\ntool a.b/c\n"), prints("1\n")},
	{"gives flags in its go.mod", withMod("func main() { println(1) }", "// GOFLAGS=-toolexec=/bin/false\n"+
		"module m // -toolexec=/bin/false\n\ngo 1.26 // -toolexec=/bin/false\n"), prints("1\n")},
	{"gives flags as a directive", withMod("func main() { println(1) }", "module m\n\nflags -toolexec=/bin/false\n"),
		fails("go.mod:3: unknown directive: flags\n")},
	{"gives flags as a module's name", withMod("func main() { println(1) }", "module -toolexec=/bin/false\n"),
		fails("malformed module path \"-toolexec=/bin/false\": leading dash\n")},
	{"gives flags in comments", "// GOFLAGS=-toolexec=/bin/false\n//go:toolexec /bin/false\n// #cgo LDFLAGS: -x\n" +
		main_("func main() { println(1) }"), prints("1\n")},
	{"has a vendor folder", withMod("import _ \"a.b/c\"\n\nfunc main() {}",
		"module m\n\ngo 1.26\n\nrequire a.b/c v1.0.0\n") + "-- vendor/modules.txt --\n# a.b/c v1.0.0\n## explicit\n" +
		"a.b/c\n-- vendor/a.b/c/c.go --\npackage c\n", fails("a.b/c@v1.0.0")},
	{"has a workspace", main_("func main() { println(1) }") + "-- go.work --\nuse /\n", prints("1\n")},
	{"has sums that are none", main_("func main() { println(1) }") + "-- go.sum --\nnonsense\n", prints("1\n")},
	{"has a configuration", main_("func main() { println(1) }") + "-- go.env --\nGOFLAGS=-toolexec=/bin/false\n" +
		"-- .config/go/env --\nGOFLAGS=-toolexec=/bin/false\n", prints("1\n")},
	{"has a configuration and needs the go command", "//go:debug panicnil=1\n" + main_("func main() { println(1) }") +
		"-- go.env --\nGOFLAGS=-toolexec=/bin/false\n-- .config/go/env --\nGOFLAGS=-toolexec=/bin/false\n",
		prints("1\n")},
	{"has flags as an experiment", "// GOEXPERIMENT=x,GOFLAGS=-toolexec=/bin/false\n" + main_("func main() {}"),
		fails("prog.go: unknown GOEXPERIMENT \"x,GOFLAGS=-toolexec=/bin/false\"\n")},
	{"has an experiment that is none", "// GOEXPERIMENT=suchthing\n" + main_("func main() {}"),
		fails("go: unknown GOEXPERIMENT suchthing\n")},
}

// fileNames are programs with files of odd names.
var fileNames = []hostile{
	{"a name with ..", main_("func main() {}") + "-- ../x.go --\n", fails(`invalid file name "../x.go"`)},
	{"a name with .. in it", main_("func main() {}") + "-- x/../../y.go --\n",
		fails(`invalid file name "x/../../y.go"`)},
	{"an absolute name", main_("func main() {}") + "-- /etc/x.go --\n", fails(`invalid file name "/etc/x.go"`)},
	{"a name with NUL", main_("func main() {}") + "-- x\x00.go --\n", fails(`invalid file name "x\x00.go"`)},
	{"a name with a backslash", main_("func main() {}") + "-- ..\\x.go --\n", fails(`invalid file name "..\\x.go"`)},
	{"a name of dots", main_("func main() {}") + "-- . --\n", fails(`invalid file name "."`)},
	{"a name that is too long", main_("func main() {}") + "-- " + repeat("x", 300) + " --\n",
		fails("file name too long")},
	{"a name that is too deep", main_("func main() {}") + "-- " + repeat("x/", 50) + "x --\n", fails("too deep")},
	{"a name that is no UTF-8", main_("func main() {}") + "-- \xff\xfe --\n",
		fails(`invalid file name "\xff\xfe"`)},
	{"a name with a line's", main_("func main() {}") + "-- x\ry --\n", fails(`invalid file name "x\ry"`)},
	{"a name again", main_("func main() {}") + "-- x --\n-- x --\n", fails(`duplicate file name "x"`)},
	{"a file that is a folder", main_("func main() {}") + "-- x --\n-- x/y.go --\npackage y\n",
		fails(`"x" is the name of a file and of a folder`)},
	{"a module that is a folder", main_("func main() {}") + "-- go.mod/x --\n",
		fails("go.mod is the name of a file and of a folder\n")},
	{"a flag for a name", main_("func main() { println(1) }") + "-- -toolexec=x.go --\npackage main\n",
		fails("invalid input file name \"-toolexec=x.go\"")},
	{"a name like an argument's", main_("func main() { println(1) }") + "-- @x.go --\npackage main\n",
		fails("package play: invalid input file name \"@x.go\"\n")},
	{"a name like a device's", main_("func main() { println(1) }") + "-- con --\n-- nul.go --\npackage main\n",
		prints("1\n")},
	{"twenty files", main_("func main() { println(1) }") + counted(19, "-- %[1]d.go --\npackage main\n"),
		prints("1\n")},
	{"one file too many", main_("func main() {}") + counted(20, "-- %[1]d.go --\npackage main\n"),
		fails("too many files in txtar archive (21 exceeds limit of 20)")},
	{"thousands of files", main_("func main() {}") + counted(5000, "-- %[1]d --\n"),
		fails("too many files in txtar archive (5001 exceeds limit of 20)")},
	{"files of the runner's", main_("func main() { f(0) }") + "-- 0stack.go --\npackage main\n\n" +
		"func f(n int) int { g(); return f(n+1) + 1 }\n-- 00stack.go --\npackage main\n\nfunc g() {}\n", stackOverflow},
}
