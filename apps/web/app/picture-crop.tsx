import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { useText } from '#app/text.ts'

const side = 512

/** Zoom in percent. The place is from -100, the left or upper edge, to 100. */
type Crop = { zoom: number; x: number; y: number }

type PictureCropProps = { file: File; onUnreadable: () => void }

/** Chooses a square of a picture, by dragging or with sliders. The form around it sends the square instead of the file. */
export function PictureCrop({ file, onUnreadable }: PictureCropProps) {
  const text = useText('profile').picture.crop
  const canvas = useRef<HTMLCanvasElement>(null)
  const [bitmap, setBitmap] = useState<ImageBitmap | null>(null)
  const [crop, setCrop] = useState<Crop>({ zoom: 100, x: 0, y: 0 })

  useEffect(() => {
    let isCurrent = true
    createImageBitmap(file).then(
      (opened) => (isCurrent ? setBitmap(opened) : opened.close()),
      () => isCurrent && onUnreadable(),
    )
    return () => {
      isCurrent = false
    }
  }, [file, onUnreadable])

  useEffect(() => {
    if (canvas.current && bitmap) draw(canvas.current, bitmap, crop)
  }, [bitmap, crop])

  // A form that is sent before the file is open waits for it: the file itself may be too large.
  const isSent = useRef(false)
  useEffect(() => {
    const form = canvas.current?.closest('form')
    if (!form || bitmap) return
    const wait = (event: SubmitEvent) => {
      event.preventDefault()
      event.stopImmediatePropagation()
      isSent.current = true
    }
    form.addEventListener('submit', wait)
    return () => form.removeEventListener('submit', wait)
  }, [bitmap])

  useEffect(() => {
    const drawn = canvas.current
    const form = drawn?.closest('form')
    if (!drawn || !form || !bitmap) return
    const sendSquare = ({ formData }: FormDataEvent) => formData.set('picture', toFile(drawn))
    form.addEventListener('formdata', sendSquare)
    if (isSent.current) form.requestSubmit()
    isSent.current = false
    return () => form.removeEventListener('formdata', sendSquare)
  }, [bitmap])

  function drag({ buttons, movementX, movementY, currentTarget }: PointerEvent<HTMLCanvasElement>): void {
    if (buttons !== 1 || !bitmap) return
    const { visible, spareX, spareY } = measure(bitmap, crop.zoom)
    const scale = (visible / currentTarget.clientWidth) * 200
    setCrop(({ zoom, x, y }) => ({
      zoom,
      x: bound(x - (spareX > 0 ? (movementX * scale) / spareX : 0)),
      y: bound(y - (spareY > 0 ? (movementY * scale) / spareY : 0)),
    }))
  }

  const spare = bitmap ? measure(bitmap, crop.zoom) : { spareX: 0, spareY: 0 }
  return (
    <fieldset className="grid max-w-md gap-4">
      <legend className="mb-1.5 text-sm text-pretty text-ink-soft">{text.lead}</legend>
      <canvas
        ref={canvas}
        width={side}
        height={side}
        onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
        onPointerMove={drag}
        className="aspect-square w-full max-w-64 cursor-move touch-none rounded-full border border-line-strong bg-sunken"
      />
      <Slider
        id="picture-zoom"
        label={text.zoom}
        min={100}
        max={400}
        value={crop.zoom}
        onChange={(zoom) => setCrop({ ...crop, zoom })}
      />
      <Slider
        id="picture-x"
        label={text.across}
        min={-100}
        max={100}
        value={crop.x}
        disabled={spare.spareX === 0}
        onChange={(x) => setCrop({ ...crop, x })}
      />
      <Slider
        id="picture-y"
        label={text.along}
        min={-100}
        max={100}
        value={crop.y}
        disabled={spare.spareY === 0}
        onChange={(y) => setCrop({ ...crop, y })}
      />
    </fieldset>
  )
}

type SliderProps = {
  id: string
  label: string
  min: number
  max: number
  value: number
  disabled?: boolean
  onChange: (value: number) => void
}

function Slider({ id, label, onChange, ...range }: SliderProps) {
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <input
        {...range}
        id={id}
        type="range"
        step="1"
        onChange={({ target }) => onChange(target.valueAsNumber)}
        // A border that only forced colours show.
        className="min-h-8 w-full border border-transparent accent-accent"
      />
    </div>
  )
}

const bound = (place: number): number => Math.min(100, Math.max(-100, place))

/** The side of the square in pixels of the picture, and what lies beside it. */
function measure({ width, height }: ImageBitmap, zoom: number): { visible: number; spareX: number; spareY: number } {
  const visible = (Math.min(width, height) * 100) / zoom
  return { visible, spareX: width - visible, spareY: height - visible }
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap, { zoom, x, y }: Crop): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const { visible, spareX, spareY } = measure(bitmap, zoom)
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, side, side)
  context.drawImage(bitmap, (spareX * (x + 100)) / 200, (spareY * (y + 100)) / 200, visible, visible, 0, 0, side, side)
}

/** In one step, since a form does not wait while it is sent. */
function toFile(canvas: HTMLCanvasElement): File {
  const [head = '', content = ''] = canvas.toDataURL('image/webp', 0.9).split(',')
  const type = head.slice('data:'.length, head.indexOf(';'))
  return new File([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], 'picture', { type })
}
