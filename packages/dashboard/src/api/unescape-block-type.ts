import type { BlockType } from '@millrace/contracts/block-type.ts'

/** Servers escape what they are told of a type when it is made. Here it is text and nothing else, and is shown as it was told. */
export const unescapeBlockType = (type: BlockType): BlockType => ({
  ...type,
  description: unescapeHtml(type.description),
  code_example: unescapeHtml(type.code_example),
})

const unescapeHtml = (text: string | null): string | null =>
  text?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&') ?? null
