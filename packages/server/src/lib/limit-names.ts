/** The name of the concurrency limit of a tag. */
export const tagLimitName = (tag: string): string => `tag:${tag}`

/** The names of the limits that the tags of a task run may have, without duplicates. */
export const tagLimitNames = (tags: readonly string[]): readonly string[] => [...new Set(tags)].map(tagLimitName)
