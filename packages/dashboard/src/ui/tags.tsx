import { useState } from 'react'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'

interface TagsFieldProps {
  readonly label: string
  readonly hint?: string
  readonly tags: readonly string[]
  onChange(tags: string[]): void
}

/** Tag editor. Enter or a comma adds a tag. */
export function TagsField({ label, hint = 'Press Enter to add a tag', tags, onChange }: TagsFieldProps) {
  const [text, setText] = useState('')
  const add = () => {
    const added = text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '' && !tags.includes(tag))
    if (added.length > 0) onChange([...tags, ...new Set(added)])
    setText('')
  }
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <span className="field flex flex-wrap items-center gap-1.5">
          {tags.map((tag) => (
            <span key={tag} className="inline-flex max-w-full items-center rounded-sm bg-sunken pl-1.5 text-sm">
              <span className="truncate">{tag}</span>
              <button
                type="button"
                aria-label={`Remove tag ${tag}`}
                onClick={() => onChange(tags.filter((each) => each !== tag))}
                className="grid size-6 place-items-center text-faint hover:text-ink"
              >
                <Icon name="cross" size={10} />
              </button>
            </span>
          ))}
          <input
            {...control}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={add}
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === ',') {
                // Adds the tag instead of submitting the form.
                event.preventDefault()
                add()
              } else if (event.key === 'Backspace' && text === '') onChange(tags.slice(0, -1))
            }}
            className="min-w-24 flex-1 bg-transparent outline-none"
          />
        </span>
      )}
    </Field>
  )
}
