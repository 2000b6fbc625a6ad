/** Control characters and blanks, which browsers skip when they read an address and people do not see. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const invisibleCharacters = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\ufeff]/g

/** Whether an address of somebody else may become a link: to another page or a mailbox, and never something that acts. */
export const isSafeLinkUrl = (address: string): boolean => /^(?:https?:\/\/|mailto:)[^\s]/i.test(address.trim()) && isParseableUrl(address)

/** The same for pictures: from the web, or with the picture in the address. A picture cannot run the script that may be in it. */
export const isSafeImageUrl = (address: string): boolean =>
  /^https?:\/\/[^\s]/i.test(address.trim())
    ? isParseableUrl(address)
    : /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml)[;,]/i.test(address.replace(invisibleCharacters, ''))

function isParseableUrl(address: string): boolean {
  return URL.canParse(address.trim())
}
