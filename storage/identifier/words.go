package identifier

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Word bars usernames: the one that it is, or all that begin with it.
type Word struct {
	text   string // canonical
	prefix bool
}

// wordForm is that of a username, save that a word may be shorter: it then bars
// nothing by itself, as lists made for other sites have it.
var wordForm = form{least: 1, most: usernameForm.most, separators: true, alphabet: usernameForm.alphabet}

// ParseWords reads a list of reserved words, one a line. `word` bars that
// username, `word*` all that begin with word; A-Z are folded, # begins a comment.
// A line that could bar no username refuses the list as a whole, with the line's
// number in the error.
func ParseWords(r io.Reader) ([]Word, error) {
	var words []Word
	lines := bufio.NewScanner(r)
	number := 1
	for ; lines.Scan(); number++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		word, err := parseWord(line)
		if err != nil {
			return nil, fmt.Errorf("read reserved words, line %d: %w", number, err)
		}
		words = append(words, word)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read reserved words, line %d: %w", number, err)
	}
	return words, nil
}

// parseWord parses one line. A prefix is judged with a character after it, so it
// may end with a separator (`support_*`) and must leave room in a name.
func parseWord(line string) (Word, error) {
	text, prefix := strings.CutSuffix(line, "*")
	example := text
	if prefix && text != "" {
		example += "x"
	}
	if found := wordForm.judge(example); len(found) > 0 {
		return Word{}, errors.New("word " + found[0].Message)
	}
	return Word{text: strings.ToLower(text), prefix: prefix}, nil
}
