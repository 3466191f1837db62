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
	var sections struct {
		Checkalloc json.RawMessage `json:"checkalloc"`
	}
	if json.Unmarshal(p.Settings, &sections) != nil || len(sections.Checkalloc) == 0 {
		return nil, nil
	}
	s.mu.Lock()
	old := s.client.InitializationOptions
	changed := old // a setting that the section does not name stays as it is
	if json.Unmarshal(sections.Checkalloc, &changed) != nil {
		s.mu.Unlock()
		return nil, nil
	}
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
