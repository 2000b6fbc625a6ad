/** A word for a POSIX shell, whatever is in it. */
const quoted = (text) => (/^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/** The request as a command. Credentials stand in it by the name of the user alone: curl asks for the password. */
export function curlOf({ method, url, headers, body }, user) {
  const parts = ['curl']
  if (method !== 'GET') parts.push(`-X ${method}`)
  if (user) parts.push(`-u ${quoted(user)}`)
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== undefined) parts.push(`--data-raw ${quoted(body)}`)
  return [...parts, quoted(url)].join(' \\\n  ')
}
