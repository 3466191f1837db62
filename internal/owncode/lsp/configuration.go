package lsp

import (
	"context"
	"encoding/json"
	"errors"
)

var errSettings = errors.New("the settings have changed")

// configured takes the settings that a user has changed, from the section "checkalloc". Clients also send other
// sections, or none. Figures that were measured with other settings stay, as stale.
func (s *server) configured(_ context.Context, p configurationParams) (any, error) {
	s.mu.Lock()
	old := s.client.InitializationOptions
	sections := struct{ Checkalloc settings }{old} // a setting that is not named stays as it is
	if json.Unmarshal(p.Settings, &sections) != nil {
		s.mu.Unlock()
		return nil, nil
	}
	changed := sections.Checkalloc
	if err := changed.check(); err != nil {
		s.mu.Unlock()
		s.showMessage(messageError, err.Error())
		return nil, nil
	}
	s.client.InitializationOptions = changed
	var dirs []string
	if old.MeasureOnSave = changed.MeasureOnSave; old != changed {
		for _, j := range s.running {
			j.cancel(errSettings)
		}
		for dir, f := range s.packages {
			f.failed, f.otherText = errSettings.Error(), false
			dirs = append(dirs, dir)
		}
	}
	s.mu.Unlock()
	if len(dirs) > 0 {
		s.refresh(dirs...)
	}
	return nil, nil
}
