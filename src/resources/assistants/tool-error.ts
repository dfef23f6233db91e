interface Details {
  field?: string
  /** What to do instead. */
  hint?: string
  /** The reply of the API. */
  refusal?: unknown
  /** The permission that the caller lacks. */
  permission?: string | undefined
}

/** An error that a model can repair: it says what is wrong and what is right. */
export class ToolError extends Error {
  readonly details: Details

  constructor(message: string, details: Details = {}) {
    super(message)
    this.details = details
  }
}
