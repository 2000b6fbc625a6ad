import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Content types by the ending of a file. Files with another ending are not served. */
export const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
}

export const contentTypeOf = (name: string): string | undefined => contentTypes[name.slice(name.lastIndexOf('.') + 1)]

/**
 * Lists the regular files of a folder by their path from it. A request is only looked up in this list, so that `..`, `%2e`, backslashes and links
 * reach no other file. Skips symbolic links.
 */
export function listFilesRecursively(folder: string, at = ''): string[] {
  if (!statSync(join(folder, at), { throwIfNoEntry: false })) return []
  return readdirSync(join(folder, at), { withFileTypes: true }).flatMap((entry) => {
    const path = `${at}${entry.name}`
    return entry.isDirectory() ? listFilesRecursively(folder, `${path}/`) : entry.isFile() ? [path] : []
  })
}

/** Encodings that the client accepts, without those that it gives the weight 0. */
export const acceptedEncodings = (header = ''): string[] =>
  header
    .split(',')
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
    .map((part) => (part.split(';')[0] ?? '').trim().toLowerCase())

export const acceptsHtml = (accept = ''): boolean => /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(accept)
