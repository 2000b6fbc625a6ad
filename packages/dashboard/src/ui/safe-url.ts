/** Control characters and whitespace, which browsers ignore in URLs and people cannot see. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const invisibleCharacters = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\ufeff]/g

/** Whether an untrusted URL may become a link: `http`, `https` or `mailto` only. */
export const isSafeLinkUrl = (address: string): boolean => /^(?:https?:\/\/|mailto:)[^\s]/i.test(address.trim()) && isParseableUrl(address)

/** Whether an untrusted URL may be an image: from the web or a data URL. Scripts in images do not run. */
export const isSafeImageUrl = (address: string): boolean =>
  /^https?:\/\/[^\s]/i.test(address.trim())
    ? isParseableUrl(address)
    : /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml)[;,]/i.test(address.replace(invisibleCharacters, ''))

function isParseableUrl(address: string): boolean {
  return URL.canParse(address.trim())
}
