package step

// FromMain returns a Stepper that steps through main alone.
func (s Stepper) FromMain() Stepper {
	s.fromMain = true
	return s
}
