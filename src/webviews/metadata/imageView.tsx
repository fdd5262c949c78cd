import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ShownImage } from '../messages/metadataMessages.ts';
import { ServerText } from '../shared/elements.tsx';
import { usePage } from '../shared/pageContext.ts';
import { shortenText, toVisibleText } from '../shared/text.ts';

interface ImageViewProps {
  readonly image: ShownImage;
  readonly fileName: string;
}

const typeNames: Readonly<Record<ShownImage['type'], string>> = {
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/gif': 'GIF',
  'image/webp': 'WebP',
};

const maxNameLength = 300;

/** Renders an image with its type and size, or a sentence if it can't be decoded. Moves only if the user allows it. */
export function ImageView({ image, fileName }: ImageViewProps): VNode {
  const { format } = usePage();
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) return <ServerText>{image.failure}</ServerText>;
  const { type, width, height } = image;
  const facts = l10n.t('{0}, {1} × {2} px', typeNames[type], format.number(width), format.number(height));
  const name = toVisibleText(shortenText(fileName, maxNameLength));
  const props = { image, label: `${name}, ${facts}`, onFailure: () => setFailed(true) };
  return (
    <figure class="image">
      {isMotionReduced() ? <StillImage {...props} /> : <MovingImage {...props} />}
      <figcaption class="aside" aria-hidden="true">
        {facts}
      </figcaption>
    </figure>
  );
}

function isMotionReduced(): boolean {
  return (
    matchMedia('(prefers-reduced-motion: reduce)').matches || document.body.classList.contains('vscode-reduce-motion')
  );
}

interface DrawnProps {
  readonly image: ShownImage;
  readonly label: string;
  readonly onFailure: () => void;
}

function MovingImage({ image, label, onFailure }: DrawnProps): VNode {
  const element = useRef<HTMLImageElement>(null);
  useLayoutEffect(() => {
    const address = URL.createObjectURL(toBlob(image));
    if (element.current) element.current.src = address;
    return () => URL.revokeObjectURL(address);
  }, [image.content]);
  return <img ref={element} alt={label} onError={onFailure} />;
}

function StillImage({ image, label, onFailure }: DrawnProps): VNode {
  const element = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    createImageBitmap(toBlob(image)).then((frame) => element.current && draw(element.current, frame), onFailure);
  }, [image.content]);
  return <canvas ref={element} role="img" aria-label={label} />;
}

function draw(canvas: HTMLCanvasElement, frame: ImageBitmap): void {
  canvas.width = frame.width;
  canvas.height = frame.height;
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(frame);
}

function toBlob({ content, type }: ShownImage): Blob {
  return new Blob([Uint8Array.from(atob(content), (character) => character.charCodeAt(0))], { type });
}
