/** The first `limit` tags, and the number of the others. */
export function TagList({ tags, limit = 4 }: { readonly tags: readonly string[]; readonly limit?: number }) {
  if (tags.length === 0) return null
  return (
    <span className="flex min-w-0 items-center gap-1 overflow-hidden">
      {tags.slice(0, limit).map((tag) => (
        <span key={tag} title={tag} className="max-w-32 shrink-0 truncate rounded-sm bg-sunken px-1.5 text-soft text-sm">
          {tag}
        </span>
      ))}
      {tags.length > limit && (
        <span title={tags.slice(limit).join(', ')} className="text-faint text-sm">
          +{tags.length - limit}
        </span>
      )}
    </span>
  )
}
