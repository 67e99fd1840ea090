from setuptools import find_packages, setup

setup(
    name="ad-ranking",
    version="0.3.1",
    packages=find_packages(),
    install_requires=["tensorflow>=1.13,<1.14", "six"],
)
