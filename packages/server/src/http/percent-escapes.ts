const strayPercent = /%(?![\da-f]{2})/gi
const escapes = /(?:%[\da-f]{2})+/gi

/**
 * Makes every escape of an address decodable, as the v3 API reads it: a percent sign that begins no escape stands for itself (`/flows/name/my%flow`),
 * bytes that are no UTF-8 become U+FFFD. The router would refuse the address otherwise.
 */
export function repairEscapes(url: string): string {
  if (!url.includes('%')) return url
  const complete = url.replace(strayPercent, '%25')
  return isDecodable(complete)
    ? complete
    : complete.replace(escapes, (bytes) => encodeURIComponent(Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8')))
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}
