import { catalogue } from '../../packages/server/src/errors.ts'

/** Generates docs/errors.md from the error catalogue. */
export function errorPage(): string {
  const kinds = catalogue.toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return [
    '# Errors',
    '',
    '<!-- Generated from packages/server/src/errors.ts by `npm run generate`; edit that. -->',
    '',
    'An error answers with its status and `{"detail": "…", "code": "…", "request_id": "…", "exception_message": "…"}`. Match on `code`: it stays,',
    'while the words of `detail` may get better. Where the request itself is at fault (422), `detail` is a list of faults, each with `loc`, `msg`,',
    '`type` and `input`.',
    '',
    '| code | status | detail |',
    '|---|---|---|',
    ...kinds.map(({ code, status, example }) => `| \`${code}\` | ${status} | ${example.replaceAll('|', '\\|')} |`),
    '',
  ].join('\n')
}
