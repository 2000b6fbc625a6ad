import { isWebAddress } from '../../ui/safe-address.ts'

export interface LinkData {
  readonly text: string
  /** Left out where it leads nowhere that a link may lead. */
  readonly address: string | undefined
}

/** A link artifact: an address, or markdown of one link, as clients write it. */
export function linkData(data: unknown): LinkData | undefined {
  if (typeof data !== 'string') return undefined
  const [, words, target] = /^\s*\[([^\]]*)\]\((\S+?)\)\s*$/.exec(data) ?? []
  const address = (target ?? data).trim()
  return { text: words || address, address: isWebAddress(address) ? address : undefined }
}
