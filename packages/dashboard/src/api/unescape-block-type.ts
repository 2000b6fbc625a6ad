import type { BlockType } from '@millrace/contracts/block-type.ts'

/** Servers store these texts with HTML escapes. The dashboard renders plain text, so it undoes them. */
export const unescapeBlockType = (type: BlockType): BlockType => ({
  ...type,
  description: unescapeHtml(type.description),
  code_example: unescapeHtml(type.code_example),
})

const unescapeHtml = (text: string | null): string | null =>
  text?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&') ?? null
