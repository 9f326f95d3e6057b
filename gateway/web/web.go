package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"
)

//go:embed assets
var assets embed.FS

// policy lets the page load its own files and speak to its own host, and
// nothing else: no inline script or style, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// types are those of the embedded files. The system's table may say otherwise,
// and nosniff makes a wrong type fatal.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// file is one embedded file, ready to be served.
type file struct {
	body        []byte
	contentType string
	etag        string
}

// Handler serves the page on / and its files under /assets/. Anything else is
// not found.
func Handler() http.Handler {
	files := load()
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", files["index.html"])
	for name, f := range files {
		mux.Handle("GET /assets/"+name, f)
	}
	return secure(mux)
}

// load reads the embedded files. They are part of the program, so one that
// cannot be read is a fault of the build.
func load() map[string]file {
	entries, err := fs.ReadDir(assets, "assets")
	if err != nil {
		panic(err)
	}
	files := make(map[string]file, len(entries))
	for _, entry := range entries {
		body, err := assets.ReadFile(path.Join("assets", entry.Name()))
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(body)
		files[entry.Name()] = file{
			body:        body,
			contentType: types[path.Ext(entry.Name())],
			etag:        `"` + hex.EncodeToString(sum[:8]) + `"`,
		}
	}
	return files
}

// ServeHTTP serves the file. Browsers keep it and ask each time whether it has
// changed, so a new release shows at once.
func (f file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", f.contentType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", f.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
}

func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
