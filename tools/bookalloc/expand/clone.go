package expand

import "strings"

// repositoryPlace is the placeholder for a link to the repository in a text, and for its address in a command.
const repositoryPlace = "REPOSITORY"

// clone shows the instructions for a clone of the repository, or nothing if the repository's address is unknown.
func (x *expander) clone(args []string) (string, error) {
	return x.inClone(args[0], args[1:]...), nil
}

// inClone returns a paragraph of Markdown with commands below it, or "" if the repository's address is unknown.
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
