import { type KeyboardEvent, useId, useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'

export interface Suggestion {
  readonly value: string
  readonly note?: string
}

interface TokenFieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly tokens: readonly string[]
  onChange(tokens: string[]): void
  readonly suggestions?: readonly Suggestion[] | undefined
  readonly placeholder?: string
  /** Display text of a token. */
  format?(token: string): string
}

/** List of short texts, typed or suggested. Enter adds one. */
export function TokenField({
  label,
  hint,
  error,
  tokens,
  onChange,
  suggestions = [],
  placeholder,
  format: shown = (token) => token,
}: TokenFieldProps) {
  const [text, setText] = useState('')
  const list = useId()
  const add = (value: string) => {
    const token = value.trim()
    setText('')
    if (token !== '' && !tokens.includes(token)) onChange([...tokens, token])
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      add(text)
    } else if (event.key === 'Backspace' && text === '' && tokens.length > 0) onChange(tokens.slice(0, -1))
  }
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div className="field flex w-full flex-wrap items-center gap-1 py-1 focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-2">
          {tokens.map((token) => (
            <span key={token} className="inline-flex max-w-full items-center gap-0.5 rounded-sm bg-wash pl-1.5 text-sm">
              <span className="min-w-0 truncate">{shown(token)}</span>
              <button
                type="button"
                aria-label={`Remove ${shown(token)}`}
                onClick={() => onChange(tokens.filter((each) => each !== token))}
                className="grid size-5 shrink-0 place-items-center rounded-sm text-soft hover:bg-surface hover:text-ink"
              >
                <Icon name="cross" size={10} />
              </button>
            </span>
          ))}
          <input
            {...control}
            list={suggestions.length > 0 ? list : undefined}
            value={text}
            placeholder={tokens.length === 0 ? placeholder : undefined}
            onChange={(event) => {
              const next = event.target.value
              // A suggestion is complete when selected. Typed text may be a prefix of another and waits for Enter.
              const isChosen = !(event.nativeEvent instanceof InputEvent) || event.nativeEvent.inputType === 'insertReplacementText'
              if (isChosen && suggestions.some(({ value }) => value === next)) add(next)
              else setText(next)
            }}
            onKeyDown={press}
            onBlur={() => add(text)}
            className="min-w-24 flex-1 bg-transparent outline-none"
          />
          {suggestions.length > 0 && (
            <datalist id={list}>
              {suggestions
                .filter(({ value }) => !tokens.includes(value))
                .map(({ value, note }) => (
                  <option key={value} value={value} label={note} />
                ))}
            </datalist>
          )}
        </div>
      )}
    </Field>
  )
}
