package expand

import "strings"

// repositoryPlace is where a text has a link to the repository, and a command its address.
const repositoryPlace = "REPOSITORY"

// clone shows what can be done in a clone of the repository: nothing where nobody said where that is.
func (x *expander) clone(args []string) (string, error) {
	return x.inClone(args[0], args[1:]...), nil
}

// inClone is a paragraph of Markdown with commands below it; "" where nobody said where the repository is.
func (x *expander) inClone(text string, commands ...string) string {
	address := x.book.Repository
	if address == "" {
		return ""
	}
	block := strings.ReplaceAll(text, repositoryPlace, "[the repository]("+address+")") + "\n"
	if len(commands) > 0 {
		block += "\n" + fence("console", strings.ReplaceAll("$ "+strings.Join(commands, "\n$ "), repositoryPlace, address))
	}
	return block
}
