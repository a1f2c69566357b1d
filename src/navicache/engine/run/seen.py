"""The latent of this step, and where it lies in what the model is given and returns."""

from dataclasses import dataclass

from navicache.engine.tensors.fit import Fit
from navicache.engine.tensors.rows import Rows, identical, own
from navicache.engine.tracking.call import Call


@dataclass
class Seen:
    """The latent last seen."""

    input: Rows = ()  # as the caller holds it
    last: Rows = ()  # its latent part, copied: nobody else can write to it
    elements: int = 0  # of the latent part, over all samples
    fit: Fit = Fit()  # before the first output, as if the latent were all of input and output
    fits: bool = True  # False: they have no part of the same form
    fitted: bool = False  # there has been an output

    def inner(self, latent: Rows) -> Rows:
        """The latent part of an input."""
        return latent if self.fit.width is None else self.fit.inner(latent)

    def see(self, call: Call, inner: Rows) -> None:
        """Take over the latent of a new step, and copy what of it is measured."""
        self.input, self.last = call.latent, own(inner)
        self.elements = self.elements or sum(chunk.numel() for chunk in self.last)

    def owned(self, call: Call) -> Rows:
        """A latent part that can be kept: the step's own copy where the caller handed in the same tensor."""
        return self.last if identical(self.input, call.latent) else own(self.inner(call.latent))

    def settle(self, found: Fit | None, latent: Rows) -> Rows:
        """Take in how the latent lies in input and output, None where they have nothing in common.

        Returns the latent part of `latent`.
        """
        shared, self.fitted = latent is self.last, True
        self.fit, self.fits = found or Fit(), found is not None
        self.last = self.fit.inner(self.last)
        self.elements = sum(chunk.numel() for chunk in self.last)
        return self.last if shared else self.fit.inner(latent)

    def release(self) -> None:
        """Let the tensors go."""
        self.input = self.last = ()
