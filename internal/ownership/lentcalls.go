package ownership

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// This file tracks lent memory through calls.

// dynamic reports whether f is a method of an interface.
func (l *loans) dynamic(f *types.Func) bool {
	return f != nil && f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type())
}

// targets returns the package's own functions that a call may run.
func (l *loans) targets(call *ast.CallExpr, f *types.Func) []*function {
	if f != nil && !l.dynamic(f) {
		if own := l.byObject[f.Origin()]; own != nil {
			return []*function{own}
		}
		return nil
	}
	if l.steps += len(l.functions); l.steps >= maxSteps {
		return nil
	}
	var found []*function
	s, _ := core(l.typeOf(call.Fun)).(*types.Signature)
	for i := range l.functions {
		own := &l.functions[i]
		switch {
		case f != nil && own.name == f.Name() && own.signature.Recv() != nil &&
			own.signature.Params().Len() == f.Signature().Params().Len(),
			f == nil && s != nil && types.Identical(withoutReceiver(own.signature), withoutReceiver(s)):
			found = append(found, own)
		}
	}
	return found
}

// keepingMethods are methods of other packages' types that keep an argument.
var keepingMethods = []string{"Reset", "Store", "LoadOrStore", "Swap", "CompareAndSwap", "Put", "PushBack", "PushFront",
	"InsertBefore", "InsertAfter", "Buffer"}

// writesArgument reports whether f, a function of another package, writes into the slice that is its argument.
func writesArgument(f *types.Func, argument int) bool {
	name := f.Name()
	switch {
	case f.Pkg().Path() == "bytes" && name == "NewBuffer":
		return true
	case f.Pkg().Path() == "slices" || f.Pkg().Path() == "sort":
		for _, prefix := range []string{"Sort", "Stable", "Reverse", "Insert", "Delete", "Replace", "Compact",
			"Grow", "Append"} {
			if strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, "Sorted") {
				return argument == 0
			}
		}
		return false
	case strings.HasPrefix(name, "Append") || name == "Sum" || name == "Encode" || name == "EncodeRune":
		return argument == 0
	}
	return strings.HasPrefix(name, "Read") || strings.HasPrefix(name, "Put") || name == "CopyBuffer"
}

// call marks the variables that get lent memory by a call, and refuses calls that keep or write it.
func (l *loans) call(f *function, call *ast.CallExpr) {
	if l.isConversion(call) {
		return
	}
	if name := l.builtin(call); name != "" {
		l.builtinCall(name, call)
		return
	}
	callee := l.callee(call)
	var arguments loan
	for _, a := range call.Args {
		arguments |= l.value(a)
	}
	receiver := l.receiver(call)
	if l.isExternal(callee) {
		for i, a := range call.Args {
			if writesArgument(callee, i) {
				l.changeAll(a)
			}
		}
	}
	if l.isExternal(callee) && !l.dynamic(callee) {
		if callee.Signature().Recv() != nil && slices.Contains(keepingMethods, callee.Name()) && arguments != 0 {
			l.keepInReceiver(f, call, arguments)
		}
		l.callback(call, callee, arguments|receiver)
		if callee.Pkg().Path() == "container/heap" && callee.Name() == "Push" {
			l.pushOnHeap(arguments)
		}
		return
	}
	for _, own := range l.targets(call, callee) {
		l.passArguments(own, call.Args)
		l.passReceiver(own, call, receiver)
	}
}

// builtinCall is call for a builtin function.
func (l *loans) builtinCall(name string, call *ast.CallExpr) {
	switch name {
	case "panic":
		if l.value(call.Args[0]) != 0 {
			l.refuse(call.Pos(), "this panics with memory that was lent for one call")
		}
	case "copy":
		l.changeAll(call.Args[0])
		if s, ok := core(l.typeOf(call.Args[0])).(*types.Slice); ok && carries(s.Elem()) {
			if mask := l.value(call.Args[1]); mask != 0 {
				if v := l.variable(call.Args[0]); !l.fresh(v) {
					l.refuse(call.Pos(), "this keeps memory that was lent for one call")
				} else {
					l.mark(v, mask)
				}
			}
		}
	case "clear", "cap":
		l.changeAll(call.Args[0])
	case "append":
		if s, ok := ast.Unparen(call.Args[0]).(*ast.SliceExpr); !ok || !s.Slice3 {
			l.changeAll(call.Args[0])
		}
	}
}

// keepInReceiver marks the variable whose method keeps an argument with the loan mask, and refuses the call if the
// value of that variable may outlive f.
func (l *loans) keepInReceiver(f *function, call *ast.CallExpr, mask loan) {
	x := ast.Unparen(call.Fun).(*ast.SelectorExpr).X
	root, steps, direct := l.rootOf(x, mask)
	if root != nil && !isParameter(f, root) && (steps == 0 && !isPointer(root.Type()) || steps <= 1 && direct &&
		l.fresh(root) || steps == 0 && l.fresh(root)) {
		l.mark(root, mask)
	} else {
		l.refuse(call.Pos(), "this keeps memory that was lent for one call")
	}
}

// pushOnHeap marks the parameters of the Push methods that heap.Push may call.
func (l *loans) pushOnHeap(mask loan) {
	for i := range l.functions {
		if own := &l.functions[i]; own.name == "Push" && own.signature.Recv() != nil &&
			own.signature.Params().Len() == 1 {
			l.mark(own.signature.Params().At(0), mask)
		}
	}
}

// passArguments marks the parameters of the package's own function that a call with these arguments may run.
func (l *loans) passArguments(own *function, args []ast.Expr) {
	params := own.signature.Params()
	if params.Len() == 0 {
		return
	}
	for i, a := range args {
		if inner, ok := ast.Unparen(a).(*ast.CallExpr); ok && len(args) == 1 && params.Len() > 1 {
			for j := range params.Len() { // f(g())
				l.mark(params.At(j), l.part(inner, j))
			}
			return
		}
		l.mark(params.At(min(i, params.Len()-1)), l.value(a))
	}
}

// passReceiver marks the receiver of the package's own method that a call may run. In T.method(receiver, arguments...),
// the receiver is the first argument, and the parameters get the others.
func (l *loans) passReceiver(own *function, call *ast.CallExpr, receiver loan) {
	if own.signature.Recv() == nil {
		return
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || l.info.Selections[sel] == nil || l.info.Selections[sel].Kind() != types.MethodExpr {
		l.mark(own.signature.Recv(), receiver)
		return
	}
	if len(call.Args) == 0 {
		return
	}
	l.mark(own.signature.Recv(), l.value(call.Args[0]))
	params := own.signature.Params()
	for i, a := range call.Args[1:] {
		l.mark(params.At(min(i, params.Len()-1)), l.value(a))
	}
}

func isParameter(f *function, v *types.Var) bool {
	for p := range f.signature.Params().Variables() {
		if p == v {
			return true
		}
	}
	return f.signature.Recv() == v
}

// callback marks the parameters of the package's own functions that a call passes to another package. That package may
// call them with memory that it lends, or with memory that was lent to it.
func (l *loans) callback(call *ast.CallExpr, callee *types.Func, all loan) {
	signature := callee.Signature()
	for i, a := range call.Args {
		s, ok := core(l.typeOf(a)).(*types.Signature)
		if !ok {
			continue
		}
		lends := loan(0)
		if signature.TypeParams().Len() == 0 && signature.Params().Len() > 0 {
			lends = mustNotKeep
			if t := signature.Params().At(min(i, signature.Params().Len()-1)).Type(); types.IsInterface(t) {
				lends = 0
			}
		}
		for j := range l.functions {
			own := &l.functions[j]
			if own.node != ast.Unparen(a) && (l.byObject[l.named(a)] != own) && !(l.named(a) != nil &&
				l.byObject[l.named(a)] == nil && types.Identical(withoutReceiver(own.signature), withoutReceiver(s))) {
				continue
			}
			for p := range own.signature.Params().Variables() {
				_, slice := p.Type().Underlying().(*types.Slice)
				if slice {
					l.mark(p, lends)
				}
				l.mark(p, all)
			}
		}
	}
}
