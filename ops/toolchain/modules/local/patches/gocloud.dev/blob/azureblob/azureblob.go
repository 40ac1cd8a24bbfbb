// Package azureblob is empty in the local variant: it has no driver for azblob.
package azureblob
