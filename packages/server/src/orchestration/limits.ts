/** The limit that a tag may have goes by this name. */
export const tagLimitName = (tag: string): string => `tag:${tag}`

/** The names of the limits that a task's tags may have, each once. */
export const tagLimitNames = (tags: readonly string[]): readonly string[] => [...new Set(tags)].map(tagLimitName)
