package playground

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strings"
	"time"
)

//go:embed npm start.js
var files embed.FS

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Parse(pageSource))

// policy lets the page load and reach its own origin only, and nothing frame it.
// GraphiQL's editor sets styles from scripts.
const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page for the GraphQL endpoint at a path of the same origin,
// and below assetsPrefix, such as "/playground/", the files that the page loads.
// Mount it at the page's path and at assetsPrefix.
func Handler(endpoint, assetsPrefix string) http.Handler {
	var html bytes.Buffer
	err := page.Execute(&html, struct{ Endpoint, Assets string }{endpoint, assetsPrefix})
	if err != nil {
		panic(err) // the template and its data are constant: a bug
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if file, ok := strings.CutPrefix(r.URL.Path, assetsPrefix); ok && file != "" {
			serveFile(w, r, file)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(html.Bytes()))
	})
}

func serveFile(w http.ResponseWriter, r *http.Request, name string) {
	content, err := files.ReadFile(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "npm/") { // versioned by its folder
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
