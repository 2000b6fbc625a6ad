import { isSafeLinkUrl } from '../../ui/safe-url.ts'

export interface LinkData {
  readonly text: string
  /** Left out where it leads nowhere that a link may lead. */
  readonly url: string | undefined
}

/** A link artifact: an address, or markdown of one link, as clients write it. */
export function parseLinkData(data: unknown): LinkData | undefined {
  if (typeof data !== 'string') return undefined
  const [, words, target] = /^\s*\[([^\]]*)\]\((\S+?)\)\s*$/.exec(data) ?? []
  const address = (target ?? data).trim()
  return { text: words || address, url: isSafeLinkUrl(address) ? address : undefined }
}
