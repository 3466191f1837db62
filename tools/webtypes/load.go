package main

import (
	"errors"
	"fmt"
	"go/constant"
	"go/types"
	"strings"

	gopackages "golang.org/x/tools/go/packages"
)

// load loads the packages of the given import paths, from source.
func (g *generator) load(dir string, paths []string) error {
	const mode = gopackages.NeedName | gopackages.NeedFiles | gopackages.NeedImports | gopackages.NeedSyntax |
		gopackages.NeedTypes
	loaded, err := gopackages.Load(&gopackages.Config{Mode: mode, Dir: dir}, paths...)
	if err != nil {
		return fmt.Errorf("load the packages of the types: %w", err)
	}
	for _, p := range loaded {
		for _, e := range p.Errors {
			err = errors.Join(err, e)
		}
		g.packages[p.PkgPath] = p
		for _, file := range p.Syntax {
			g.document(file)
		}
	}
	return err
}

// lookup finds "import/path.Name" in the loaded packages.
func (g *generator) lookup(name string) (types.Object, error) {
	dot := strings.LastIndexByte(name, '.')
	p := g.packages[name[:dot]]
	if p == nil {
		return nil, fmt.Errorf("%s: its package is missing in tools/webtypes/types.go, packages", name)
	}
	obj := p.Types.Scope().Lookup(name[dot+1:])
	if obj == nil {
		return nil, fmt.Errorf("%s is not declared: name it in tools/webtypes/types.go as it is called now", name)
	}
	return obj, nil
}

func (g *generator) constant(name string) (string, error) {
	obj, err := g.lookup(name)
	if err != nil {
		return "", err
	}
	c, ok := obj.(*types.Const)
	if !ok || c.Val().Kind() != constant.String {
		return "", fmt.Errorf("%s is not a string constant", name)
	}
	return constant.StringVal(c.Val()), nil
}
