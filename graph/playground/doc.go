// Package playground serves GraphiQL, a page on which people try operations. It
// needs no foreign host: folder npm holds the published files of graphiql 4.1.2,
// the last whose package has a build for plain script elements, and of react and
// react-dom 18.2.0, each with its licence.
package playground
