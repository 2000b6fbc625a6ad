/**
 * An element with its attributes and what is in it. Text goes in as text, never as HTML: the document it comes from is trusted no more than
 * the answers are.
 */
export function element(name, attributes = {}, ...content) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value)
    else if (value === true) made.setAttribute(key, '')
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value)
  }
  made.append(...content.flat(2).filter((part) => part !== undefined && part !== null && part !== false))
  return made
}

/** A part that is made when it is opened for the first time. */
export function unfolding(attributes, summary, make) {
  const made = element('details', attributes, summary)
  const fill = () => {
    if (!made.open || made.childElementCount > 1) return
    made.append(make())
  }
  made.addEventListener('toggle', fill)
  return made
}

let last = 0

/** A name that no other element of the page has. */
export const newName = () => {
  last += 1
  return `part-${last}`
}
