// Package gcsblob has no driver in the local variant.
package gcsblob

const Scheme = "gs"
