"""Describe one result for the terminal and for pages."""

from typing import Any

from navicache.generation.results import PromptResult

LONGEST_PROMPT = 44


def describe_result(result: PromptResult) -> str:
    """Steps, seconds, quality and files, as lines of text."""
    lines = [f"\n{result.prompt}", *(f"  {line}" for line in result.pair.summary.splitlines())]
    for name, take in ((result.pair.label, result.pair.cached), ("no cache", result.pair.plain)):
        if take is not None:
            loop = "no time of the loop" if take.loop_seconds is None else f"denoising loop {take.loop_seconds:.2f} s"
            lines.append(f"  {name:<8} {take.call_seconds:7.2f} s for the whole call, {loop}")
    if faster := {name: f"{value:.2f}x" for name, value in result.speedup.items() if value}:
        lines.append("  measured speed-up: " + ", ".join(f"{value} ({name})" for name, value in faster.items()))
        lines.append("  against no cache:  " + describe_quality(result.quality))
    return "\n".join([*lines, *(f"  {path}" for path in result.files.values())])


def describe_quality(quality: Any) -> str:
    """PSNR, SSIM, LPIPS and, with sound, its two figures in one line."""
    lpips = f"- ({quality.lpips_missing})" if quality.lpips is None else f"{quality.lpips:.4f}"
    video = f"PSNR {quality.psnr:.2f} dB, SSIM {quality.ssim:.4f}, LPIPS {lpips}"
    if quality.audio_snr is None:
        return video
    return f"{video}; sound: SNR {quality.audio_snr:.2f} dB, log-spectral distance {quality.log_spectral_distance:.2f}"


def result_figures(result: PromptResult) -> dict[str, str]:
    """One row of the closing table, by heading."""
    quality, steps, prompt = result.quality, result.steps, result.prompt
    plain = result.pair.plain or result.pair.cached
    sound = {} if quality.audio_snr is None else {"audio SNR": f"{quality.audio_snr:.2f}"}
    return {
        "prompt": prompt if len(prompt) <= LONGEST_PROMPT else f"{prompt[: LONGEST_PROMPT - 3]}...",
        "computed steps": f"{steps['computed']} of {steps['total']}",
        "seconds plain": f"{plain.call_seconds:.1f}",
        "seconds cached": f"{result.pair.cached.call_seconds:.1f}",
        "speed-up": f"{result.speedup['call']:.2f}x",
        "PSNR": f"{quality.psnr:.2f}",
        "SSIM": f"{quality.ssim:.4f}",
        "LPIPS": "-" if quality.lpips is None else f"{quality.lpips:.4f}",
        **sound,
    }
