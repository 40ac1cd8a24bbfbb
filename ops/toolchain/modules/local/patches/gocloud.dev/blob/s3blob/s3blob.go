// Package s3blob is empty in the local variant: it has no driver for s3.
package s3blob
