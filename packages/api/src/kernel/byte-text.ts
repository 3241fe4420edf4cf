declare const isByteText: unique symbol

/** The UTF-8 bytes of a text, one character for each byte. Write it as `latin1`; its length is the content length. */
export type ByteText = string & { [isByteText]: true }

export const toByteText = (text: string): ByteText => Buffer.from(text).toString('latin1') as ByteText
