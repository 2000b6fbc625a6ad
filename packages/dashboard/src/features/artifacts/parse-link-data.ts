import { isSafeLinkUrl } from '../../ui/safe-url.ts'

export interface LinkData {
  readonly text: string
  /** Undefined if the URL is not safe to link. */
  readonly url: string | undefined
}

/** Parses a link artifact: a URL, or Markdown with one link. */
export function parseLinkData(data: unknown): LinkData | undefined {
  if (typeof data !== 'string') return undefined
  const [, label, target] = /^\s*\[([^\]]*)\]\((\S+?)\)\s*$/.exec(data) ?? []
  const address = (target ?? data).trim()
  return { text: label || address, url: isSafeLinkUrl(address) ? address : undefined }
}
