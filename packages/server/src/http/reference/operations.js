const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Every operation of the document, with the words it is found by. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const operation = item[method]
        const tag = operation.tags?.[0] ?? 'Other'
        const words = [method, path, operation.summary, tag, operation.operationId].join(' ').toLowerCase()
        return { ...operation, id: operation.operationId, method: method.toUpperCase(), path, tag, words }
      }),
  )
}

/** By their tags, in the order in which the document names them. */
export const byTag = (operations) => Map.groupBy(operations, ({ tag }) => tag)

/** Every word that is looked for has to be there, wherever. */
export function isFound({ words }, query) {
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word))
}
