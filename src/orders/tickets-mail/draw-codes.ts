/** Bar codes as vectors on a PDF page: filled rectangles, in black, which print sharp at any size. Lengths are points. */
import bwipjs from 'bwip-js'

type Code = { readonly x: number; readonly y: number; readonly module: number }

/** Code 128, `height` high. Answers its width. The quiet zone of 10 modules on both sides is the caller's. */
export function drawCode128(
  doc: PDFKit.PDFDocument,
  text: string,
  { x, y, module, height }: Code & { readonly height: number },
): number {
  const [symbol] = bwipjs.raw('code128', text, {})
  if (symbol === undefined || !('sbs' in symbol)) throw new Error('bwip-js made no linear code')
  let modules = 0
  // Widths of a bar, a space, a bar, ...
  for (const [index, width] of symbol.sbs.entries()) {
    if (index % 2 === 0) doc.rect(x + modules * module, y, width * module, height)
    modules += width
  }
  doc.fill('black')
  return modules * module
}

/** QR, correction level M. Answers its side. The quiet zone of 4 modules on all sides is the caller's. */
export function drawQr(doc: PDFKit.PDFDocument, text: string, { x, y, module }: Code): number {
  const [symbol] = bwipjs.raw('qrcode', text, 'eclevel=M')
  if (symbol === undefined || !('pixs' in symbol)) throw new Error('bwip-js made no matrix code')
  const side = symbol.pixx
  for (const [index, dark] of symbol.pixs.entries()) {
    if (dark === 1)
      doc.rect(x + (index % side) * module, y + Math.floor(index / side) * module, module, module)
  }
  doc.fill('black')
  return side * module
}
